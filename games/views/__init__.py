"""The pages: one file per subject. Every view first asks games.access who may enter."""

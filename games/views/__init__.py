"""The pages, one module per subject. Every view first asks games.access who may enter."""

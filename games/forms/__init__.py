"""Forms that check input before any service sees it. They hold no rules of the game."""

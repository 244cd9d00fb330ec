"""What organisers type and choose, checked before any command sees it. Holds no rules of a league."""

"""What people type and choose in the talk, checked before any command sees it."""

"""Forms for organisers. They validate input before a service runs and contain no league rules."""

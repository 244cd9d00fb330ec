"""The emails of tables and games, a module for what each is about; settings name each kind's builder."""

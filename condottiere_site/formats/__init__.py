"""How days and times are written, by language, where Django's own way is not this site's."""

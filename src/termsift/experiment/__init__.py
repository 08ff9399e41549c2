"""An experiment judges selections on folds."""

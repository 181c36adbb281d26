"""The index of layouts: finds the items with a given layout, by the first bytes of its digest."""

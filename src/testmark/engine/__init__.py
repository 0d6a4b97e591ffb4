"""How work is carried out: plans in parallel, results that survive a kill, one owner a folder."""

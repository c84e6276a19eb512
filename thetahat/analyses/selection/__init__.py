"""Selection among learners: internal splits choose, external splits assess the choice."""

"""Parts of the action with modes: plane kinematics, rigid contacts, what changes the mode."""

"""Parts of the episodes model of the action: plane kinematics, rigid contacts, the automaton."""

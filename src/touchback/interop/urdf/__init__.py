"""URDF, the robot descriptions of ROS: reader and writer."""

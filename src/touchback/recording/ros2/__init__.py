"""ROS 2's messages: what recordings and nodes say of a run."""

package org.weft.simulator.node;

import org.weft.simulator.base.SimContext;

/** A member of SysMgr, as far as it is a process on a machine. */
public abstract class SysmgrProcessNode extends ProcessNode implements SysmgrNode {
  SysmgrProcessNode(SimContext setting, int number) {
    super(setting, "sysmgr-" + number);
  }

  @Override
  void stop(org.weft.testkit.sim.SimProcess asked) {
    kill();
  }

  @Override
  public boolean isBroken() {
    return false;
  }
}

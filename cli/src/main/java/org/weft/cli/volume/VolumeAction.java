package org.weft.cli.volume;

import org.weft.cli.cluster.AdminCommand;

/** What the commands on volumes have in common. They speak with SysMgr alone. */
abstract class VolumeAction extends AdminCommand {
  VolumeAction() {
    super("volume");
  }
}

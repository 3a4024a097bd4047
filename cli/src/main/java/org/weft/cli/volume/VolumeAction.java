package org.weft.cli.volume;

import org.weft.cli.cluster.AdminCommand;

/** The common part of the commands on volumes. They speak with SysMgr alone. */
abstract class VolumeAction extends AdminCommand {
  VolumeAction() {
    super("volume");
  }
}

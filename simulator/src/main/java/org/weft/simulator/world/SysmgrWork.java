package org.weft.simulator.world;

import java.util.ArrayList;
import java.util.List;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/** What takes SysMgr several steps, and is not over. */
record SysmgrWork(Configuration known) {
  List<String> unfinished(int members) {
    List<String> unfinished = new ArrayList<>();
    for (Volume volume : known.volumes().values()) {
      if (volume.stage() != VolumeStage.ACTIVE) {
        unfinished.add("volume " + volume.path() + " is " + volume.stage());
      }
      known
          .history()
          .placement()
          .underWay(volume.id())
          .ifPresent(move -> unfinished.add("volume " + volume.path() + " moves: " + move));
    }
    known.sysmgr().change().ifPresent(change -> unfinished.add("members change: " + change));
    if (known.sysmgr().members().size() != members) {
      unfinished.add("members are " + known.sysmgr().members());
    }
    return unfinished;
  }
}

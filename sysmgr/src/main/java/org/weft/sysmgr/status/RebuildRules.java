package org.weft.sysmgr.status;

import java.util.List;
import java.util.Locale;
import org.weft.protocol.wire.RepairState;
import org.weft.sysmgr.configuration.volume.Volume;

/** How far what lost OSDs held is rebuilt, what waits, and what is lost (P 6.8). */
final class RebuildRules {
  private static final double MEBIBYTE = 1 << 20;

  private RebuildRules() {}

  static void findings(
      StatusView view, Volume volume, RepairState rebuild, List<Finding> findings) {
    boolean paused = view.configuration().history().placement().repairPause().isPresent();
    long left = rebuild.getFilesToDo() - rebuild.getBeyond();
    if (left > 0 || !rebuild.getUnheardOsdList().isEmpty()) {
      findings.add(
          Finding.warning(
              "rebuild-running",
              "volume " + volume.path(),
              "Volume "
                  + volume.path()
                  + what(rebuild)
                  + ": "
                  + rebuild.getFilesDone()
                  + " files ("
                  + mebibytes(rebuild.getBytesDone())
                  + ") are done, "
                  + left
                  + " files ("
                  + mebibytes(rebuild.getBytesToDo())
                  + ") are to do"
                  + next(rebuild)
                  + (paused ? "; it begins none of them, for rebuilds are paused" : pace(rebuild))
                  + managers(rebuild)
                  + unheard(rebuild)
                  + ".",
              advice(rebuild)));
    }
    if (rebuild.getWithoutSpare() > 0) {
      findings.add(
          Finding.warning(
              "rebuild-without-spare",
              "volume " + volume.path(),
              rebuild.getWithoutSpare()
                  + " files of volume "
                  + volume.path()
                  + " wait for a spare: no OSD outside their maps is up and has space, so what they"
                  + (rebuild.getLeavingOsdList().isEmpty()
                      ? " have lost cannot be rebuilt."
                      : " have lost, or have on OSDs that are drained, has no place to go to."),
              "Add an OSD to BladeSet "
                  + volume.bladeSet()
                  + ", bring one back, or free space; they are rebuilt by themselves then. Files"
                  + " are named below."));
    }
    if (rebuild.getBeyond() > 0) {
      findings.add(
          Finding.error(
              "files-lost",
              "volume " + volume.path(),
              rebuild.getBeyond()
                  + " files of volume "
                  + volume.path()
                  + " have lost more components than they have parity units.",
              "Bring one of the lost OSDs back, with its data; each file is named below. Where none"
                  + " can be had back, remove or replace the file."));
    }
  }

  private static String what(RepairState rebuild) {
    String lost =
        " rebuilds on others what was on OSDs that are lost"
            + (rebuild.getLostOsdList().isEmpty() ? "" : " " + rebuild.getLostOsdList());
    String leaving =
        " copies to others what is on OSDs " + rebuild.getLeavingOsdList() + " that are drained";
    if (rebuild.getLeavingOsdList().isEmpty()) {
      return lost;
    }
    return rebuild.getLostOsdList().isEmpty() ? leaving : lost + ", and" + leaving;
  }

  private static String pace(RepairState rebuild) {
    long rate = rebuild.getBytesPerSecond();
    return rate == 0 || rebuild.getBytesToDo() == 0
        ? ""
        : ", at %s a second, about %d s more"
            .formatted(mebibytes(rate), rebuild.getBytesToDo() / rate);
  }

  private static String next(RepairState rebuild) {
    return rebuild.getEndangered() == 0
        ? ""
        : ", first the %d that tolerate no further loss".formatted(rebuild.getEndangered());
  }

  private static String managers(RepairState rebuild) {
    return rebuild.getManagers() < 2 ? "" : "; " + rebuild.getManagers() + " managers copy";
  }

  private static String unheard(RepairState rebuild) {
    return rebuild.getUnheardOsdList().isEmpty()
        ? ""
        : "; OSDs " + rebuild.getUnheardOsdList() + " have yet to say what they know of";
  }

  private static String advice(RepairState rebuild) {
    String nothing = "Nothing need be done; keep the other OSDs up.";
    String waiting =
        rebuild.getWaiting() == 0
            ? ""
            : " "
                + rebuild.getWaiting()
                + " of them wait until they are closed, or come to rest in another way.";
    String failed =
        rebuild.getFailed() == 0
            ? ""
            : " "
                + rebuild.getFailed()
                + " could not be rebuilt when it was tried last, and are tried again; they are"
                + " named below.";
    return nothing + waiting + failed;
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f MiB", bytes / MEBIBYTE);
  }
}

package org.weft.sysmgr.status;

import java.util.List;
import java.util.Locale;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.RebuildReport;

/** How far what lost OSDs held is rebuilt, what waits, and what is lost (P 6.8). */
final class RebuildRules {
  private static final double MEBIBYTE = 1 << 20;

  private RebuildRules() {}

  static void findings(
      StatusView view, Volume volume, RebuildReport rebuild, List<Finding> findings) {
    boolean paused = view.configuration().history().placement().repairPause().isPresent();
    long left = rebuild.filesToDo() - rebuild.beyond();
    if (left > 0 || !rebuild.unheard().isEmpty()) {
      findings.add(
          Finding.warning(
              "rebuild-running",
              "volume " + volume.path(),
              "Volume "
                  + volume.path()
                  + what(rebuild)
                  + ": "
                  + rebuild.filesDone()
                  + " files ("
                  + mebibytes(rebuild.bytesDone())
                  + ") are done, "
                  + left
                  + " files ("
                  + mebibytes(rebuild.bytesToDo())
                  + ") are to do"
                  + next(rebuild)
                  + (paused ? "; it begins none of them, for rebuilds are paused" : pace(rebuild))
                  + managers(rebuild)
                  + unheard(rebuild)
                  + ".",
              advice(rebuild)));
    }
    if (rebuild.withoutSpare() > 0) {
      findings.add(
          Finding.warning(
              "rebuild-without-spare",
              "volume " + volume.path(),
              rebuild.withoutSpare()
                  + " files of volume "
                  + volume.path()
                  + " wait for a spare: no OSD outside their maps is up and has space, so what they"
                  + (rebuild.leaving().isEmpty()
                      ? " have lost cannot be rebuilt."
                      : " have lost, or have on OSDs that are drained, has no place to go to."),
              "Add an OSD to BladeSet "
                  + volume.bladeSet()
                  + ", bring one back, or free space; they are rebuilt by themselves then. Files"
                  + " are named below."));
    }
    if (rebuild.beyond() > 0) {
      findings.add(
          Finding.error(
              "files-lost",
              "volume " + volume.path(),
              rebuild.beyond()
                  + " files of volume "
                  + volume.path()
                  + " have lost more components than they have parity units.",
              "Bring one of the lost OSDs back, with its data; each file is named below. Where none"
                  + " can be had back, remove or replace the file."));
    }
  }

  private static String what(RebuildReport rebuild) {
    String lost =
        " rebuilds on others what was on OSDs that are lost"
            + (rebuild.lost().isEmpty() ? "" : " " + rebuild.lost());
    String leaving = " copies to others what is on OSDs " + rebuild.leaving() + " that are drained";
    if (rebuild.leaving().isEmpty()) {
      return lost;
    }
    return rebuild.lost().isEmpty() ? leaving : lost + ", and" + leaving;
  }

  private static String pace(RebuildReport rebuild) {
    return rebuild.secondsLeft() < 0 || rebuild.bytesToDo() == 0
        ? ""
        : ", at %s a second, about %d s more"
            .formatted(mebibytes(rebuild.bytesPerSecond()), rebuild.secondsLeft());
  }

  private static String next(RebuildReport rebuild) {
    return rebuild.endangered() == 0
        ? ""
        : ", first the %d that tolerate no further loss".formatted(rebuild.endangered());
  }

  private static String managers(RebuildReport rebuild) {
    return rebuild.managers() < 2 ? "" : "; " + rebuild.managers() + " managers copy";
  }

  private static String unheard(RebuildReport rebuild) {
    return rebuild.unheard().isEmpty()
        ? ""
        : "; OSDs " + rebuild.unheard() + " have yet to say what they know of";
  }

  private static String advice(RebuildReport rebuild) {
    String nothing = "Nothing need be done; keep the other OSDs up.";
    String waiting =
        rebuild.waiting() == 0
            ? ""
            : " "
                + rebuild.waiting()
                + " of them wait until they are closed, or come to rest in another way.";
    String failed =
        rebuild.failed() == 0
            ? ""
            : " "
                + rebuild.failed()
                + " could not be rebuilt when it was tried last, and are tried again; they are"
                + " named below.";
    return nothing + waiting + failed;
  }

  private static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f MiB", bytes / MEBIBYTE);
  }
}

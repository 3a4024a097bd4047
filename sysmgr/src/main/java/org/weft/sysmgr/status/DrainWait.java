package org.weft.sysmgr.status;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.DrainWaitRow;

/**
 * Something that the drain of an OSD or a manager waits for now (P 6.8a, 6.2).
 *
 * @param subject what is drained: "osd-3", "manager-1"
 * @param volume path of the volume that waits; empty: it is not about one
 * @param files of that volume that wait; 0: they are not counted
 * @param osds that something waits for; empty: it is not about any
 * @param what the reason, in words that follow "It waits: "
 * @param advice what to do about it
 */
public record DrainWait(
    String subject,
    Reason reason,
    String volume,
    long files,
    SortedSet<OsdId> osds,
    String what,
    String advice) {
  /** The kind of reason. Its word is stable, for programs: docs/operations.md lists them all. */
  public enum Reason {
    /** An operator has paused rebuilds and drains. */
    PAUSED("paused"),
    /** OSDs that may know of files on the drained one are away. */
    OSD_DOWN("osd-down"),
    /** OSDs that are up have not told the volume's manager what they know of. */
    OSD_UNHEARD("osd-unheard"),
    /** The volume's manager does not say that it copies anything, for none of the other reasons. */
    NOT_BEGUN("not-begun"),
    /** The volume's manager does not serve it, or has not said anything of it. */
    VOLUME_NOT_SERVED("volume-not-served"),
    /** No OSD outside the files' maps is up, not drained, and has space. */
    NO_OSD_LEFT("no-osd-left"),
    /** They are written, or not at rest for another reason. */
    FILES_IN_USE("files-in-use"),
    /** It failed, and is tried again. */
    COPY_FAILED("copy-failed"),
    /** They have lost more than their code bears. */
    FILES_LOST("files-lost"),
    /** No other manager is up and not drained. */
    NO_MANAGER_LEFT("no-manager-left"),
    /** The drained manager is not up, and has the journal. */
    MANAGER_DOWN("manager-down"),
    /** The volume is being made or deleted. */
    VOLUME_UNFINISHED("volume-unfinished"),
    /** The move was given up, and is tried again. */
    MOVE_FAILED("move-failed");

    private final String word;

    Reason(String word) {
      this.word = word;
    }

    /** As it stands in JSON. */
    public String word() {
      return word;
    }
  }

  public DrainWait {
    osds = Collections.unmodifiableSortedSet(new TreeSet<>(osds));
  }

  /** As the status says it. */
  public DrainWaitRow toMessage() {
    return DrainWaitRow.newBuilder()
        .setSubject(subject)
        .setReason(reason.word())
        .setVolume(volume)
        .setFiles(files)
        .addAllOsd(osds.stream().map(OsdId::value).toList())
        .setWhat(what)
        .build();
  }
}

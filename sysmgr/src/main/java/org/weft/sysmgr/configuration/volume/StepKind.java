package org.weft.sysmgr.configuration.volume;

import org.weft.protocol.wire.VolumeStep;

/** The step of a creation or deletion that a manager has carried out. */
public enum StepKind {
  LINKED(VolumeStage.FORMATTED, true),
  LINK_REFUSED(VolumeStage.FORMATTED, true),
  EMPTIED(VolumeStage.DELETING, false),
  NOT_EMPTIED(VolumeStage.DELETING, false),
  UNLINKED(VolumeStage.EMPTIED, true);

  private final VolumeStage from;
  private final boolean ofParent;

  StepKind(VolumeStage from, boolean ofParent) {
    this.from = from;
    this.ofParent = ofParent;
  }

  /** The stage in which it changes something. */
  public VolumeStage from() {
    return from;
  }

  /** True if the manager of the directory above says it, false if the volume's own does. */
  public boolean ofParent() {
    return ofParent;
  }

  /**
   * @throws IllegalArgumentException for one that this release does not know
   */
  public static StepKind of(VolumeStep step) {
    return switch (step) {
      case LINKED -> LINKED;
      case LINK_REFUSED -> LINK_REFUSED;
      case VOLUME_EMPTIED -> EMPTIED;
      case NOT_EMPTIED -> NOT_EMPTIED;
      case UNLINKED -> UNLINKED;
      case VOLUME_STEP_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException("a step that this release does not know: " + step);
    };
  }
}

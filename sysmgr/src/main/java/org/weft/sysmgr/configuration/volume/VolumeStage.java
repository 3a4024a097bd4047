package org.weft.sysmgr.configuration.volume;

/**
 * The stages of a volume's life. A creation is recorded first (CREATING), carried out, then
 * committed (ACTIVE). A deletion goes the same way, and its row goes last (P 6, and section 5.4 of
 * the FAST paper).
 */
public enum VolumeStage {
  /** Recorded; its manager has to make its root directory. */
  CREATING,
  /** Its entry has to be put into the directory above; if that cannot be, the row goes again. */
  FORMATTED,
  ACTIVE,
  /** Its manager takes no names and says whether it is empty; if it is not, it is ACTIVE again. */
  DELETING,
  /** Empty for good; its entry has to go from the directory above, then the row. */
  EMPTIED
}

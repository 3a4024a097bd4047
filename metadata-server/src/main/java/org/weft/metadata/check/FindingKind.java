package org.weft.metadata.check;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Kinds of contradictions in a volume, each with what an operator can do. */
public enum FindingKind {
  NAME_WITHOUT_OBJECT(
      "if OSDs are away, bring them back and check again; else restore the file from a copy, and"
          + " remove the name with weft fs rm"),
  OBJECT_WITHOUT_NAME(
      "nothing can reach it, it only takes space: keep the volume's journal and the OSDs' logs, and"
          + " report this as a fault of Weft"),
  OBJECT_WITHOUT_ATTRIBUTES(
      "if OSDs were removed or wiped, what is left of the file cannot be used; else keep the OSDs'"
          + " logs, and report this as a fault of Weft"),
  WRONG_LINK_COUNT(
      "the data is good; a count that is too low loses the file with its last name but one: copy the"
          + " file before a name of it is removed, and report this as a fault of Weft"),
  WRONG_PARENT(
      "the data is good; rename the file and back, which writes the hint anew, and check again"),
  WRONG_ENTRY_COUNT(
      "the names are good; move them into a new directory, for one whose count is wrong may not be"
          + " removable"),
  NAME_OUT_OF_PLACE(
      "the name is shown and cannot be opened or removed: move the directory's other names into a new"
          + " one, keep the volume's journal, and report this as a fault of Weft"),
  WRONG_KIND("move the name away and check again; if it stays, report this as a fault of Weft"),
  DIRECTORY_COPIES_DIFFER(
      "names may be shown or not, as the copies are read: restart the OSD that is behind; if it"
          + " stays, drain that OSD (weft osd drain), which makes another copy"),
  DIRECTORY_COPY_ABSENT(
      "restart the OSD and check again; if it stays, drain that OSD (weft osd drain), which makes"
          + " another copy"),
  ATTRIBUTE_COPIES_DIFFER(
      "set the mode of the file anew (weft fs chmod), which writes all copies, and check again"),
  ATTRIBUTES_ABSENT(
      "set the mode of the file anew (weft fs chmod), which writes all copies, and check again"),
  WRONG_LENGTH("compare the file with a copy; its writer may have lost its end"),
  LEFTOVER_COMPONENT(
      "nothing reads it, it only takes space; it goes with the OSD (weft osd drain, then remove)"),
  COMPONENT_ABSENT(
      "the file reads by its parity, and tolerates one loss less: copy it and put the copy in its"
          + " place, or drain that OSD (weft osd drain)"),
  WRONG_COMPONENT(
      "its tag names another position or layout than the map of the file: do not write the file; copy it"
          + " and compare it before you put the copy in its place"),
  WRONG_USAGE(
      "the data is good; writers are refused too early or too late: give the directory room with weft"
          + " quota set, copy what it holds into a new one with a quota, and report this as a fault of"
          + " Weft"),
  PARITY_DIFFERS(
      "nothing says which unit is wrong, and nothing is rewritten: compare the file with a copy, and"
          + " write it anew from that; weft volume damage names the bytes once the scrub has met it");

  private static final Set<FindingKind> OF_LOST_NODES =
      EnumSet.of(NAME_WITHOUT_OBJECT, OBJECT_WITHOUT_ATTRIBUTES, ATTRIBUTES_ABSENT);

  private final String nextStep;

  FindingKind(String nextStep) {
    this.nextStep = nextStep;
  }

  /** A next step for a person. */
  public String nextStep() {
    return nextStep;
  }

  /** "leftover-component". */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The node's attributes may be on no OSD. */
  boolean isOfLostNode() {
    return OF_LOST_NODES.contains(this);
  }
}

package org.weft.metadata.volume.path;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;

/**
 * The names that a walk has looked up, for a caller that wants read grants for them (P 6.5). A walk
 * that followed a symbolic link or ".." leaves no trace, since its caller walks only plain names by
 * itself. Confined to one execution.
 */
public final class ReadTrace {
  /** A name of a directory, and where it leads; empty: nowhere. */
  public record Step(Attributes directory, String name, Optional<DirectoryEntry> entry) {}

  private final boolean wanted;
  private final List<Step> steps = new ArrayList<>();
  private boolean plain = true;

  /**
   * @param wanted false: the caller relies on nothing further, and nothing is kept
   */
  public ReadTrace(boolean wanted) {
    this.wanted = wanted;
  }

  void passed(Attributes directory, String name, Optional<DirectoryEntry> entry) {
    if (wanted) {
      steps.add(new Step(directory, name, entry));
    }
  }

  /** The walk does not follow plain names alone. */
  void strayed() {
    plain = false;
  }

  /** What was looked up leads to the node without anything else. */
  public boolean isPlain() {
    return plain;
  }

  /** The walk ended because nothing had the last name. */
  public boolean endedNowhere() {
    return plain && !steps.isEmpty() && steps.get(steps.size() - 1).entry().isEmpty();
  }

  /** Names that were looked up, in this order. */
  public List<Step> steps() {
    return steps;
  }
}

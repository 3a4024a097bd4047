package org.weft.metadata.objects.cache;

import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.NamedEntry;
import org.weft.protocol.id.ObjectId;

/**
 * Counts the names of one directory while they are read page by page, in the order of their
 * cookies. {@link NameWatch} reports each change to it. A name that is made or removed where the
 * pages have passed changes the count; one ahead of them does not. So the count is exact at the
 * moment in which the last page is read, whatever changed meanwhile (P 6.8d). Single-threaded.
 */
public final class NameTally {
  private final ObjectId directory;
  private long passedCookie;
  private long names;
  private long directories;
  private long counted;
  private boolean ended;
  private boolean remade;

  public NameTally(ObjectId directory) {
    this.directory = directory;
  }

  public ObjectId directory() {
    return directory;
  }

  /** The next page begins behind this one. */
  public long passedCookie() {
    return passedCookie;
  }

  /** How many names were passed, as of now; of all at the moment of the last page. */
  public long names() {
    return names;
  }

  /** The names among these of directories and volumes. */
  public long directories() {
    return directories;
  }

  /** How many names the directory's own index counted at the moment of the last page. */
  public long counted() {
    return counted;
  }

  /** The directory began anew meanwhile: what was counted says nothing. */
  public boolean isRemade() {
    return remade;
  }

  /**
   * A page was read at this moment, and begins behind {@link #passedCookie}.
   *
   * @param end it is the last one
   * @param indexCount how many names the directory's index counts now
   */
  public void passed(List<NamedEntry> page, boolean end, long indexCount) {
    for (NamedEntry each : page) {
      add(each.entry(), 1);
      passedCookie = each.cookie();
    }
    if (end) {
      ended = true;
      counted = indexCount;
    }
  }

  /**
   * What stands at a name has changed.
   *
   * @param before empty: the name is new
   * @param after empty: the name is gone
   */
  void changed(long cookie, Optional<DirectoryEntry> before, Optional<DirectoryEntry> after) {
    if (!ended && cookie <= passedCookie) {
      before.ifPresent(entry -> add(entry, -1));
      after.ifPresent(entry -> add(entry, 1));
    }
  }

  void remade() {
    remade = true;
  }

  private void add(DirectoryEntry entry, int change) {
    names += change;
    boolean isDirectory = entry.kind() == NodeKind.DIRECTORY || entry.kind() == NodeKind.VOLUME;
    directories += isDirectory ? change : 0;
  }
}

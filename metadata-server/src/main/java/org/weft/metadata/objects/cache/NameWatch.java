package org.weft.metadata.objects.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.directory.Directory;
import org.weft.metadata.directory.NamedEntry;
import org.weft.protocol.id.ObjectId;

/**
 * Reports changes of names by records to the tallies of their directories. Most of the time there
 * are none. Single-threaded.
 */
public final class NameWatch {
  private final List<NameTally> tallies = new ArrayList<>();

  NameWatch() {}

  /** The tally gets each change from now on. */
  public void begin(NameTally tally) {
    tallies.add(tally);
  }

  /** The tally gets no more changes. */
  public void end(NameTally tally) {
    tallies.remove(tally);
  }

  private boolean isWatched(ObjectId directory) {
    for (NameTally tally : tallies) {
      if (tally.directory().equals(directory)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Changes a name of a directory of which nothing is missing in memory.
   *
   * @param change changes that name and no other
   */
  void change(ObjectId object, Directory directory, String name, Runnable change) {
    if (!isWatched(object)) {
      change.run();
      return;
    }
    Optional<NamedEntry> before = directory.find(name).value();
    change.run();
    Optional<NamedEntry> after = directory.find(name).value();
    // A name keeps its cookie while it exists.
    Optional<NamedEntry> either = before.or(() -> after);
    for (NameTally tally : tallies) {
      if (tally.directory().equals(object) && either.isPresent()) {
        tally.changed(
            either.get().cookie(), before.map(NamedEntry::entry), after.map(NamedEntry::entry));
      }
    }
  }

  /** The directory begins anew, without a name. */
  void remade(ObjectId object) {
    for (NameTally tally : tallies) {
      if (tally.directory().equals(object)) {
        tally.remade();
      }
    }
  }
}

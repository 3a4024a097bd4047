package org.weft.soak;

import java.util.Set;
import java.util.TreeSet;

/**
 * What a name may lead to: the number of the stream that wrote the file there, or none. Not
 * thread-safe.
 */
final class LoggedName {
  /** No file has this name. */
  static final long NONE = 0;

  private final Set<Long> possible = new TreeSet<>(Set.of(NONE));
  private final Set<Long> seen = new TreeSet<>();
  private boolean watched;

  Set<Long> possible() {
    return Set.copyOf(possible);
  }

  /** The one file it leads to; {@link #NONE} if that is not certain. */
  long certain() {
    return possible.size() == 1 ? possible.iterator().next() : NONE;
  }

  void maybe(Set<Long> more) {
    possible.addAll(more);
    noted();
  }

  void surely(Set<Long> these) {
    possible.retainAll(these);
    possible.addAll(these);
    noted();
  }

  private void noted() {
    if (watched) {
      seen.addAll(possible);
    }
  }

  void watch() {
    watched = true;
    seen.clear();
    seen.addAll(possible);
  }

  Set<Long> watched() {
    watched = false;
    return new TreeSet<>(seen);
  }
}

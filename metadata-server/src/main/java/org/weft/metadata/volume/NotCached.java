package org.weft.metadata.volume;

import java.util.List;
import org.weft.metadata.objects.Missing;

/**
 * An operation needs what is not in the cache: load it, then execute again from scratch (P 6.1).
 */
final class NotCached extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Missing> missing;

  NotCached(List<Missing> missing) {
    super("to be loaded: " + missing, null, false, false);
    this.missing = List.copyOf(missing);
  }

  List<Missing> missing() {
    return missing;
  }
}

package org.weft.client.cache;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.wire.DirectoryEntry;

/** The first pages of a directory, as they come. Confined to the home executor. */
final class PartListing {
  private final List<DirectoryEntry> entries = new ArrayList<>();

  int size() {
    return entries.size();
  }

  /** The page behind that cookie follows what is here; 0: the directory's beginning. */
  boolean isFollowedBy(long cookie) {
    return cookie == (entries.isEmpty() ? 0 : entries.get(entries.size() - 1).getCookie());
  }

  /** Attributes are known of each node by itself. */
  void add(List<DirectoryEntry> page) {
    for (DirectoryEntry entry : page) {
      entries.add(entry.toBuilder().clearAttributes().clearGranted().build());
    }
  }

  List<DirectoryEntry> entries() {
    return List.copyOf(entries);
  }

  /** The index of the first entry with a larger cookie. */
  static int behind(List<DirectoryEntry> all, long cookie) {
    int low = 0;
    int high = all.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (all.get(middle).getCookie() <= cookie) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

package org.weft.metadata.grant;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.MessageText;

/**
 * Why grants were taken from their holders. A holder's next request is answered with the reason.
 * Only the newest reasons are kept. Without one, the holder only learns that its grant has ended.
 * Comes from the journal. Pure, confined to the volume's thread.
 */
final class RevokedGrants {
  static final int MAX = 1_000;

  private final TreeMap<Lsn, String> reasons = new TreeMap<>();
  private final Deque<Lsn> oldestFirst = new ArrayDeque<>();

  /** The first reason of a grant stays; of a long one its beginning and its end. */
  void add(Lsn number, String why) {
    if (reasons.putIfAbsent(number, MessageText.cut(why)) == null) {
      oldestFirst.add(number);
      if (oldestFirst.size() > MAX) {
        reasons.remove(oldestFirst.remove());
      }
    }
  }

  Optional<String> reason(Lsn number) {
    return Optional.ofNullable(reasons.get(number));
  }

  SortedMap<Lsn, String> all() {
    return Collections.unmodifiableSortedMap(reasons);
  }
}

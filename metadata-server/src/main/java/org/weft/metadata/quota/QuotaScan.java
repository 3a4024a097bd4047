package org.weft.metadata.quota;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.protocol.id.ObjectId;

/**
 * How far the count of a tree has come. It goes from a directory to its entries. A directory joins
 * the tree before its content does. So nodes that are made or moved there meanwhile are counted,
 * too. In memory alone: another manager begins again, and finds most of it counted.
 */
public final class QuotaScan {
  /**
   * The place where it continues.
   *
   * @param afterCookie the entries behind it are still to be seen
   */
  public record Place(ObjectId directory, long afterCookie) {}

  private final Deque<Place> places = new ArrayDeque<>();
  private boolean moved;

  /** A scan of that directory's tree. */
  public QuotaScan(ObjectId directory) {
    places.push(new Place(directory, 0));
  }

  /** Empty: everything has been seen. */
  public Optional<Place> next() {
    return Optional.ofNullable(places.peek());
  }

  /** It has come further since this was last asked. */
  public boolean hasMoved() {
    boolean since = moved;
    moved = false;
    return since;
  }

  /**
   * Entries of a directory have been seen.
   *
   * @param done where they began; without effect if it goes on elsewhere by now
   * @param cookie of the last of them; empty: there are no more
   * @param found directories among them that are to be entered
   */
  public void seen(Place done, OptionalLong cookie, List<ObjectId> found) {
    if (!done.equals(places.peek())) {
      return;
    }
    moved = true;
    places.pop();
    cookie.ifPresent(last -> places.push(new Place(done.directory(), last)));
    found.forEach(directory -> places.push(new Place(directory, 0)));
  }
}

package org.weft.metadata.placement;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.random.RandomGenerator;

/**
 * OSDs in random order, every order as likely as any other. It is drawn only as far as the list is
 * read. So placing a file costs in proportion to the file, however many OSDs there are. Not
 * thread-safe.
 */
final class ShuffledOsds extends AbstractList<OsdCandidate> implements RandomAccess {
  private final List<OsdCandidate> osds;
  private final RandomGenerator random;
  private final List<OsdCandidate> drawn = new ArrayList<>();
  // The index of the OSD that stands at a place, where that is not the place itself.
  private final Map<Integer, Integer> moved = new HashMap<>();

  ShuffledOsds(List<OsdCandidate> osds, RandomGenerator random) {
    this.osds = osds;
    this.random = random;
  }

  @Override
  public OsdCandidate get(int place) {
    Objects.checkIndex(place, osds.size());
    while (drawn.size() <= place) {
      draw();
    }
    return drawn.get(place);
  }

  /** A step of the shuffle of Fisher and Yates, on a list that is not there. */
  private void draw() {
    int first = drawn.size();
    int place = first + random.nextInt(osds.size() - first);
    drawn.add(osds.get(indexAt(place)));
    moved.put(place, indexAt(first));
    moved.remove(first);
  }

  private int indexAt(int place) {
    return moved.getOrDefault(place, place);
  }

  @Override
  public int size() {
    return osds.size();
  }
}

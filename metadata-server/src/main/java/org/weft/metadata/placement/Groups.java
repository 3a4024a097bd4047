package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Draws the parity groups of one file: no OSD stands in it twice, since all components of a file
 * carry one object's name, and within a group no two share a fault domain. That is the host; the
 * OSD itself where the hosts do not suffice for so many groups of that width. Not thread-safe.
 */
final class Groups {
  private final UsableOsds usable;
  private final ShuffledOsds shuffled;
  private final int width;
  private final RandomGenerator random;

  /**
   * @param usable the OSDs to draw from
   * @param shuffled the same ones
   * @param width components of one group
   */
  Groups(UsableOsds usable, ShuffledOsds shuffled, int width, RandomGenerator random) {
    this.usable = usable;
    this.shuffled = shuffled;
    this.width = width;
    this.random = random;
  }

  /** As many as the OSDs give, each OSD once, and the hosts too if one group can keep to them. */
  int fitting(int osds, int most) {
    int groups = Math.max(1, Math.min(most, osds / width));
    while (groups > 1 && usable.hosts() >= width && !hostsSuffice(groups)) {
      groups--;
    }
    return groups;
  }

  /** A host gives one OSD to each group at most. */
  private boolean hostsSuffice(int groups) {
    return usable.places(groups) >= (long) groups * width;
  }

  /** So many groups, one after another; the caller has seen that there are OSDs enough. */
  List<OsdCandidate> draw(int groups) {
    if (!hostsSuffice(groups)) {
      return List.copyOf(shuffled.subList(0, groups * width));
    }
    List<List<OsdCandidate>> drawn = groups == 1 ? List.of(first()) : dealt(groups);
    if (drawn.size() < groups) {
      drawn = apart(groups);
    }
    // The widest hosts were served first; small files live in the first group alone.
    shuffle(drawn);
    List<OsdCandidate> components = new ArrayList<>();
    for (List<OsdCandidate> group : drawn) {
      shuffle(group);
      components.addAll(group);
    }
    return components;
  }

  /** The first that fit, in shuffled order. */
  private List<OsdCandidate> first() {
    List<OsdCandidate> chosen = new ArrayList<>();
    Set<String> hosts = new HashSet<>();
    for (int next = 0; chosen.size() < width; next++) {
      OsdCandidate osd = shuffled.get(next);
      if (hosts.add(osd.host())) {
        chosen.add(osd);
      }
    }
    return chosen;
  }

  /**
   * Each group takes the first that fit, in shuffled order: every OSD is as likely as any other,
   * however many its host has. Fewer groups than wanted if the last ones do not find theirs.
   */
  private List<List<OsdCandidate>> dealt(int groups) {
    List<List<OsdCandidate>> drawn = new ArrayList<>();
    List<OsdCandidate> passed = new ArrayList<>();
    int next = 0;
    while (drawn.size() < groups) {
      List<OsdCandidate> members = new ArrayList<>();
      Set<String> hosts = new HashSet<>();
      for (Iterator<OsdCandidate> each = passed.iterator();
          members.size() < width && each.hasNext(); ) {
        OsdCandidate osd = each.next();
        if (hosts.add(osd.host())) {
          members.add(osd);
          each.remove();
        }
      }
      for (; members.size() < width && next < shuffled.size(); next++) {
        OsdCandidate osd = shuffled.get(next);
        if (hosts.add(osd.host())) {
          members.add(osd);
        } else {
          passed.add(osd);
        }
      }
      if (members.size() < width) {
        return drawn;
      }
      drawn.add(members);
    }
    return drawn;
  }

  /** Each group takes from the hosts that have most left, so that the last ones find theirs. */
  private List<List<OsdCandidate>> apart(int groups) {
    Map<String, List<OsdCandidate>> byHost = new LinkedHashMap<>();
    for (OsdCandidate osd : shuffled) {
      byHost.computeIfAbsent(osd.host(), host -> new ArrayList<>()).add(osd);
    }
    List<List<OsdCandidate>> hosts = new ArrayList<>(byHost.values());
    List<List<OsdCandidate>> drawn = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      shuffle(hosts);
      hosts.sort(Comparator.comparing(List<OsdCandidate>::size).reversed());
      List<OsdCandidate> members = new ArrayList<>();
      for (List<OsdCandidate> host : hosts.subList(0, width)) {
        members.add(host.remove(host.size() - 1));
      }
      drawn.add(members);
    }
    return drawn;
  }

  private <T> void shuffle(List<T> list) {
    for (int last = list.size() - 1; last > 0; last--) {
      int other = random.nextInt(last + 1);
      T moved = list.get(last);
      list.set(last, list.get(other));
      list.set(other, moved);
    }
  }
}

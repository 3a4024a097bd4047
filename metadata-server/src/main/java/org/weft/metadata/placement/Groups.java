package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.weft.protocol.layout.FaultDomain;

/**
 * Draws the parity groups of one file. No OSD stands in it twice, since all components of a file
 * carry one object's name. Within a group no two components share a fault domain. The fault domain
 * is the largest one wanted that is frequent enough for so many groups of that width. It is the
 * rack, the host, or the OSD itself. Where the number of groups is free, one such domain stays
 * outside: what a file loses then finds another place (P 6.8). Not thread-safe.
 */
final class Groups {
  private final UsableOsds usable;
  private final ShuffledOsds shuffled;
  private final int width;
  private final RandomGenerator random;
  private FaultDomain domain;
  private boolean leavesOneOut;

  /**
   * @param usable the OSDs to draw from
   * @param shuffled the same ones
   * @param width components of one group
   * @param wish what domain to keep to, where there are enough
   */
  Groups(
      UsableOsds usable,
      ShuffledOsds shuffled,
      int width,
      FaultDomain.Wish wish,
      RandomGenerator random) {
    this.domain = usable.counts().inForce(wish, width);
    this.usable = usable;
    this.shuffled = shuffled;
    this.width = width;
    this.random = random;
  }

  /**
   * The greatest number of groups that the OSDs give. Each OSD is used once, the groups keep to
   * what one group can keep to, and one OSD stays outside of all of them. A whole domain stays
   * outside where there are more domains than one group needs. That does not hold if it costs more
   * than half of the groups, since domains are uneven then. A single group may take everything.
   * Those that are drawn next leave as much out.
   */
  int fitting(int osds, int most) {
    int leavingOsd = mostWith(false, osds, most);
    int leavingDomain = mostWith(true, osds, most);
    leavesOneOut =
        usable.counts().of(domain) > width && leavingDomain > 1 && 2 * leavingDomain >= leavingOsd;
    return leavesOneOut ? leavingDomain : leavingOsd;
  }

  private int mostWith(boolean oneOut, int osds, int most) {
    leavesOneOut = oneOut;
    int groups = Math.max(1, Math.min(most, osds / width));
    while (groups > 1 && !(suffices(domain, groups) && groups * width < osds)) {
      groups--;
    }
    return groups;
  }

  /** What the groups that were drawn last keep to; before that, what a single one would. */
  FaultDomain domain() {
    return domain;
  }

  /** A domain gives one OSD to each group at most. */
  private boolean suffices(FaultDomain each, int groups) {
    int places =
        leavesOneOut && groups > 1
            ? usable.placesButOne(each, groups)
            : usable.places(each, groups);
    return places >= (long) groups * width;
  }

  /** Draws so many groups, one after another. The caller has checked that there are enough OSDs. */
  List<OsdCandidate> draw(int groups) {
    domain =
        domain.downwards().stream()
            .filter(each -> suffices(each, groups))
            .findFirst()
            .orElse(FaultDomain.OSD);
    if (domain == FaultDomain.OSD) {
      return List.copyOf(shuffled.subList(0, groups * width));
    }
    Optional<String> spare =
        leavesOneOut && groups > 1 ? Optional.of(anyPlace()) : Optional.empty();
    List<List<OsdCandidate>> drawn = groups == 1 ? List.of(first()) : dealt(groups, spare);
    if (drawn.size() < groups) {
      drawn = apart(groups, spare);
    }
    // The widest domains were served first; small files live in the first group alone.
    shuffle(drawn);
    List<OsdCandidate> components = new ArrayList<>();
    for (List<OsdCandidate> group : drawn) {
      shuffle(group);
      components.addAll(group);
    }
    return components;
  }

  /** Each domain is as likely as any other. */
  private String anyPlace() {
    List<String> names = usable.names(domain);
    return names.get(random.nextInt(names.size()));
  }

  private boolean isIn(OsdCandidate osd, Optional<String> place) {
    return place.isPresent() && osd.place(domain).equals(place.get());
  }

  /** The first that fit, in shuffled order. */
  private List<OsdCandidate> first() {
    List<OsdCandidate> chosen = new ArrayList<>();
    Set<String> places = new HashSet<>();
    for (int next = 0; chosen.size() < width; next++) {
      OsdCandidate osd = shuffled.get(next);
      if (places.add(osd.place(domain))) {
        chosen.add(osd);
      }
    }
    return chosen;
  }

  /**
   * Each group takes the first that fit, in shuffled order: every OSD is as likely as any other,
   * however many its domain has. Fewer groups than wanted if the last ones do not find theirs.
   *
   * @param spare the domain that none takes from
   */
  private List<List<OsdCandidate>> dealt(int groups, Optional<String> spare) {
    List<List<OsdCandidate>> drawn = new ArrayList<>();
    List<OsdCandidate> passed = new ArrayList<>();
    int next = 0;
    while (drawn.size() < groups) {
      List<OsdCandidate> members = new ArrayList<>();
      Set<String> places = new HashSet<>();
      for (Iterator<OsdCandidate> each = passed.iterator();
          members.size() < width && each.hasNext(); ) {
        OsdCandidate osd = each.next();
        if (places.add(osd.place(domain))) {
          members.add(osd);
          each.remove();
        }
      }
      for (; members.size() < width && next < shuffled.size(); next++) {
        OsdCandidate osd = shuffled.get(next);
        if (isIn(osd, spare)) {
          continue;
        }
        if (places.add(osd.place(domain))) {
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

  /** Each group takes from the domains that have most left, so that the last ones find theirs. */
  private List<List<OsdCandidate>> apart(int groups, Optional<String> spare) {
    Map<String, List<OsdCandidate>> byPlace = new LinkedHashMap<>();
    for (OsdCandidate osd : shuffled) {
      byPlace.computeIfAbsent(osd.place(domain), place -> new ArrayList<>()).add(osd);
    }
    spare.ifPresent(byPlace::remove);
    List<List<OsdCandidate>> places = new ArrayList<>(byPlace.values());
    List<List<OsdCandidate>> drawn = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      shuffle(places);
      places.sort(Comparator.comparing(List<OsdCandidate>::size).reversed());
      List<OsdCandidate> members = new ArrayList<>();
      for (List<OsdCandidate> place : places.subList(0, width)) {
        members.add(place.remove(place.size() - 1));
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

package org.weft.sysmgr.bladeset;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;

/**
 * A pool of OSDs. Which OSDs and volumes are in it stands in their rows.
 *
 * @param domain what placement is to keep to
 * @param coming OSDs of other BladeSets that are drained, and come into this one once they hold
 *     nothing
 * @param absorbed names of BladeSets that were merged into it
 */
public record BladeSet(
    String name, FaultDomain.Wish domain, SortedSet<OsdId> coming, SortedSet<String> absorbed) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  public BladeSet {
    coming = Collections.unmodifiableSortedSet(new TreeSet<>(coming));
    absorbed = Collections.unmodifiableSortedSet(new TreeSet<>(absorbed));
  }

  /** A new one. */
  public static BladeSet of(String name, FaultDomain.Wish domain) {
    return new BladeSet(name, domain, new TreeSet<>(), new TreeSet<>());
  }

  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  public BladeSet with(FaultDomain.Wish next) {
    return new BladeSet(name, next, coming, absorbed);
  }

  public BladeSet withComing(SortedSet<OsdId> next) {
    return next.equals(coming) ? this : new BladeSet(name, domain, next, absorbed);
  }

  public BladeSet withAbsorbed(SortedSet<String> next) {
    return next.equals(absorbed) ? this : new BladeSet(name, domain, coming, next);
  }
}

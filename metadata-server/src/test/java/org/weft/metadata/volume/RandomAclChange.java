package org.weft.metadata.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclScope;
import org.weft.protocol.acl.AclType;

/** A change of access control lists as users make them. */
record RandomAclChange(AclChange change, List<AclEntry> entries) {
  private static final List<String> USERS = List.of("alice", "bob", "carol", "dave");
  private static final List<String> GROUPS = List.of("alices", "team", "carols", "strangers");

  static RandomAclChange draw(SplittableRandom random) {
    AclScope scope = random.nextInt(3) == 0 ? AclScope.DEFAULT : AclScope.ACCESS;
    return switch (random.nextInt(8)) {
      case 0 -> new RandomAclChange(AclChange.REMOVE_ALL, List.of());
      case 1 -> new RandomAclChange(AclChange.REMOVE_DEFAULT, List.of());
      case 2 -> new RandomAclChange(AclChange.REMOVE_ENTRIES, names(random, scope));
      case 3, 4 -> new RandomAclChange(AclChange.MODIFY, some(random, scope));
      default -> new RandomAclChange(AclChange.REPLACE, whole(random));
    };
  }

  private static List<AclEntry> whole(SplittableRandom random) {
    boolean both = random.nextInt(3) == 0;
    boolean byDefault = both || random.nextInt(3) == 0;
    List<AclEntry> entries = new ArrayList<>();
    if (both || !byDefault) {
      entries.addAll(whole(random, AclScope.ACCESS));
    }
    if (byDefault) {
      entries.addAll(whole(random, AclScope.DEFAULT));
    }
    return entries;
  }

  static List<AclEntry> whole(SplittableRandom random, AclScope scope) {
    List<AclEntry> entries = new ArrayList<>();
    entries.add(new AclEntry(scope, AclType.USER, "", random.nextInt(8) | 3));
    entries.add(new AclEntry(scope, AclType.GROUP, "", random.nextInt(8)));
    entries.add(new AclEntry(scope, AclType.OTHER, "", random.nextInt(8)));
    if (random.nextInt(4) != 0) {
      entries.addAll(names(random, scope));
    }
    if (random.nextInt(3) == 0) {
      entries.add(new AclEntry(scope, AclType.MASK, "", random.nextInt(8)));
    }
    return entries;
  }

  private static List<AclEntry> some(SplittableRandom random, AclScope scope) {
    List<AclEntry> entries = new ArrayList<>(names(random, scope));
    if (random.nextInt(4) == 0) {
      AclType type = AclType.values()[random.nextInt(4)];
      entries.add(new AclEntry(scope, type, "", random.nextInt(8)));
    }
    return entries;
  }

  /** At least one, each another. */
  private static List<AclEntry> names(SplittableRandom random, AclScope scope) {
    List<AclEntry> entries = new ArrayList<>();
    int user = random.nextInt(USERS.size());
    entries.add(new AclEntry(scope, AclType.USER, USERS.get(user), random.nextInt(8)));
    for (String group : GROUPS) {
      if (random.nextInt(3) == 0) {
        entries.add(new AclEntry(scope, AclType.GROUP, group, random.nextInt(8)));
      }
    }
    return entries;
  }
}

package org.weft.nfs.exports;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Names that have numbers by a table. A name in no table is written as its number: user 1234 is
 * "1234". So files keep their owners although no table knows them. Immutable.
 */
public final class NumberTable implements Identities {
  static final String DECIMAL = "0|[1-9][0-9]{0,9}";

  private final Map<Integer, String> users;
  private final Map<Integer, String> groups;
  private final Map<String, Integer> uids;
  private final Map<String, Integer> gids;

  /**
   * @param users names by uid; of two numbers of one name the lower one, unsigned, is shown
   * @param groups names by gid, likewise
   */
  public NumberTable(Map<Integer, String> users, Map<Integer, String> groups) {
    this.users = Map.copyOf(users);
    this.groups = Map.copyOf(groups);
    this.uids = numbers(users);
    this.gids = numbers(groups);
  }

  private static Map<String, Integer> numbers(Map<Integer, String> names) {
    Map<String, Integer> numbers = new HashMap<>();
    names.forEach(
        (number, name) ->
            numbers.merge(
                name, number, (one, two) -> Integer.compareUnsigned(one, two) <= 0 ? one : two));
    return Map.copyOf(numbers);
  }

  @Override
  public String user(int uid) {
    return name(users, uid);
  }

  @Override
  public String group(int gid) {
    return name(groups, gid);
  }

  @Override
  public int uid(String user) {
    return number(uids, user);
  }

  @Override
  public int gid(String group) {
    return number(gids, group);
  }

  Optional<String> knownUser(int uid) {
    return Optional.ofNullable(users.get(uid));
  }

  Optional<String> knownGroup(int gid) {
    return Optional.ofNullable(groups.get(gid));
  }

  Optional<Integer> knownUid(String user) {
    return Optional.ofNullable(uids.get(user));
  }

  Optional<Integer> knownGid(String group) {
    return Optional.ofNullable(gids.get(group));
  }

  private static String name(Map<Integer, String> names, int number) {
    String name = names.get(number);
    return name == null ? Integer.toUnsignedString(number) : name;
  }

  private static int number(Map<String, Integer> numbers, String name) {
    Integer number = numbers.get(name);
    if (number != null) {
      return number;
    }
    if (!name.matches(DECIMAL)) {
      return NOBODY;
    }
    long decimal = Long.parseLong(name);
    return decimal > 0xffff_ffffL ? NOBODY : (int) decimal;
  }
}

package org.weft.nfs.exports;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.weft.nfs.host.HostTable;

/**
 * The groups of users, where clients are not asked. They come from the cluster's table, or from
 * this host for users without a line there. Thread-safe; never waits.
 */
public final class Memberships {
  /** No user is in any group. */
  public static final Memberships NONE = new Memberships(Map.of(), Optional.empty());

  private final Map<String, List<String>> byUser;
  private final Optional<HostTable> host;

  /**
   * @param byUser names of all groups of a user, as the cluster's table has them
   * @param host knows of others
   */
  public Memberships(Map<String, List<String>> byUser, Optional<HostTable> host) {
    this.byUser = Map.copyOf(byUser);
    this.host = host;
  }

  /** Completes when it is known, or cannot be known now; never fails. */
  CompletableFuture<Void> learn(String user, Identities identities) {
    if (byUser.containsKey(user) || host.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    HostTable asked = host.get();
    return asked
        .groupsOf()
        .learn(user)
        .thenCompose(
            done ->
                identities.learn(
                    Identities.Wanted.numbers(
                        Set.of(), Set.copyOf(asked.groupsOf().known(user).orElse(List.of())))));
  }

  /** Names of the groups; empty: it cannot be known now. */
  Optional<List<String>> of(String user, Identities identities) {
    List<String> byTable = byUser.get(user);
    if (byTable != null || host.isEmpty()) {
      return Optional.of(byTable == null ? List.of() : byTable);
    }
    return host.get()
        .groupsOf()
        .known(user)
        .filter(groups -> groups.stream().allMatch(identities::knowsGroup))
        .map(groups -> names(groups, identities));
  }

  private static List<String> names(List<Integer> groups, Identities identities) {
    Set<String> names = new LinkedHashSet<>();
    groups.forEach(gid -> names.add(identities.group(gid)));
    return List.copyOf(names);
  }
}

package org.weft.nfs.exports;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.weft.nfs.host.HostTable;

/**
 * Users and groups by the cluster's table, then by this host, else in decimal. The host's answer
 * counts only where the cluster's table has neither the number nor the name. So a name has one
 * number, and no answer of the host makes anyone a superuser.
 */
public final class HostIdentities implements Identities {
  private final NumberTable table;
  private final HostTable host;

  public HostIdentities(NumberTable table, HostTable host) {
    this.table = table;
    this.host = host;
  }

  @Override
  public String user(int uid) {
    return table
        .knownUser(uid)
        .or(
            () ->
                host.users()
                    .known(uid)
                    .flatMap(name -> name)
                    .filter(name -> table.knownUid(name).isEmpty()))
        .orElseGet(() -> Integer.toUnsignedString(uid));
  }

  @Override
  public String group(int gid) {
    return table
        .knownGroup(gid)
        .or(
            () ->
                host.groups()
                    .known(gid)
                    .flatMap(name -> name)
                    .filter(name -> table.knownGid(name).isEmpty()))
        .orElseGet(() -> Integer.toUnsignedString(gid));
  }

  @Override
  public int uid(String user) {
    Optional<Integer> byHost =
        isOfHost(user) && table.knownUid(user).isEmpty()
            ? host.userNumbers().known(user).flatMap(number -> number)
            : Optional.empty();
    return byHost
        .filter(number -> table.knownUser(number).isEmpty())
        .orElseGet(() -> table.uid(user));
  }

  @Override
  public int gid(String group) {
    Optional<Integer> byHost =
        isOfHost(group) && table.knownGid(group).isEmpty()
            ? host.groupNumbers().known(group).flatMap(number -> number)
            : Optional.empty();
    return byHost
        .filter(number -> table.knownGroup(number).isEmpty())
        .orElseGet(() -> table.gid(group));
  }

  /** A name in decimal is the number itself. */
  private static boolean isOfHost(String name) {
    return !name.matches(NumberTable.DECIMAL);
  }

  @Override
  public CompletableFuture<Void> learn(Wanted wanted) {
    Stream<CompletableFuture<Void>> numbers =
        Stream.concat(
            wanted.uids().stream()
                .filter(uid -> table.knownUser(uid).isEmpty())
                .map(host.users()::learn),
            wanted.gids().stream()
                .filter(gid -> table.knownGroup(gid).isEmpty())
                .map(host.groups()::learn));
    Stream<CompletableFuture<Void>> names =
        Stream.concat(
            wanted.users().stream()
                .filter(user -> isOfHost(user) && table.knownUid(user).isEmpty())
                .map(host.userNumbers()::learn),
            wanted.groups().stream()
                .filter(group -> isOfHost(group) && table.knownGid(group).isEmpty())
                .map(host.groupNumbers()::learn));
    return CompletableFuture.allOf(
        Stream.concat(numbers, names)
            .filter(each -> !each.isDone())
            .toArray(CompletableFuture[]::new));
  }

  @Override
  public boolean mayAsk() {
    return true;
  }

  @Override
  public boolean knowsUser(int uid) {
    return table.knownUser(uid).isPresent() || host.users().known(uid).isPresent();
  }

  @Override
  public boolean knowsGroup(int gid) {
    return table.knownGroup(gid).isPresent() || host.groups().known(gid).isPresent();
  }
}

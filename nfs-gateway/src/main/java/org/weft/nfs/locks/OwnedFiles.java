package org.weft.nfs.locks;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.ids.NodeId;

/**
 * What owners have locked and ask for, of all clients, each within bounds. Confined to the executor
 * of the locks.
 */
final class OwnedFiles {
  private static final Logger LOG = LoggerFactory.getLogger(OwnedFiles.class);

  static final int MAX_FILES = 20_000;

  /** One client leaves room for others. */
  static final int MAX_FILES_OF_CLIENT = 10_000;

  static final int MAX_WAITING_OF_CLIENT = 256;

  private final Executor home;
  private final Map<InetAddress, Map<OwnedFile.Key, OwnedFile>> byClient = new HashMap<>();
  private int count;

  OwnedFiles(Executor home) {
    this.home = home;
  }

  private Map<OwnedFile.Key, OwnedFile> ofClient(InetAddress client) {
    return byClient.getOrDefault(client, Map.of());
  }

  /** The files of that client, in the order in which they came. */
  List<OwnedFile> of(InetAddress client) {
    return List.copyOf(ofClient(client).values());
  }

  List<OwnedFile> all() {
    List<OwnedFile> all = new ArrayList<>(count);
    byClient.values().forEach(files -> all.addAll(files.values()));
    return all;
  }

  Optional<OwnedFile> find(LockRequest request) {
    return find(request.file(), request.owner());
  }

  private Optional<OwnedFile> find(NodeId file, NlmOwner owner) {
    return Optional.ofNullable(ofClient(owner.client()).get(new OwnedFile.Key(file, owner)));
  }

  /**
   * What the kernel of a client has locked, from a reserved port, no user of the client changes
   * from another one.
   */
  boolean isForged(LockRequest request) {
    boolean forged =
        !request.reserved() && find(request.file(), request.owner().reserved()).isPresent();
    if (forged) {
      LOG.warn(
          "{} speaks for an owner of {} from a port that is not reserved; that owner had one",
          request.owner().client(),
          request.owner().name());
    }
    return forged;
  }

  /** The request's, new if need be; empty if there are as many as there may be. */
  Optional<OwnedFile> take(
      LockRequest request, Function<LockRequest, CompletableFuture<OwnerLocks>> open) {
    InetAddress client = request.owner().client();
    OwnedFile file = find(request).orElse(null);
    if (file == null) {
      if (count >= MAX_FILES || ofClient(client).size() >= MAX_FILES_OF_CLIENT) {
        LOG.warn(
            "{} has {} of {} files locked by its owners, as many as may be; a lock is refused",
            client,
            ofClient(client).size(),
            count);
        return Optional.empty();
      }
      OwnedFile.Key key = new OwnedFile.Key(request.file(), request.owner());
      file = new OwnedFile(key, request, open.apply(request));
      byClient.computeIfAbsent(client, each -> new LinkedHashMap<>()).put(key, file);
      count++;
    }
    if (file.opened.isCompletedExceptionally()) {
      file.opened = open.apply(request);
    }
    file.asked = request;
    return Optional.of(file);
  }

  boolean mayWait(InetAddress client) {
    int waiting = ofClient(client).values().stream().mapToInt(file -> file.waiting.size()).sum();
    if (waiting < MAX_WAITING_OF_CLIENT) {
      return true;
    }
    LOG.warn("{} waits for {} locks, as many as may be", client, MAX_WAITING_OF_CLIENT);
    return false;
  }

  /** What is under way for it keeps it; in its turn. */
  <T> CompletableFuture<T> during(OwnedFile file, Supplier<CompletableFuture<T>> work) {
    file.underWay++;
    return file.inTurn(work)
        .whenCompleteAsync(
            (value, failure) -> {
              file.underWay--;
              forgetIfIdle(file);
            },
            home);
  }

  void forgetIfIdle(OwnedFile file) {
    InetAddress client = file.key.owner().client();
    Map<OwnedFile.Key, OwnedFile> its = byClient.get(client);
    if (its == null || !file.isIdle() || !its.remove(file.key, file)) {
      return;
    }
    count--;
    if (its.isEmpty()) {
      byClient.remove(client);
    }
  }
}

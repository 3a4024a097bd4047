package org.weft.simulator.workload;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.CreateOptions;
import org.weft.client.DirectoryListing;
import org.weft.client.FileStatus;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.check.CrowdHistory;
import org.weft.simulator.check.Seen;
import org.weft.simulator.model.NameOperation;
import org.weft.testkit.names.NameKind;

/** A client's steps in large directories: it changes names of its own, and lists all. */
final class CrowdTurns {
  private static final int MODE = 0777;
  private static final int MAX_LOOKS = 12;
  private static final int MAX_PAGES = 25;
  private static final int MIN_PAGE = 5;
  private static final int MAX_PAGE = 1_000;

  private final ClientThread hand;
  private final String owner;

  /** Names that are changing, with their directory. */
  private final Set<Changing> changing = new LinkedHashSet<>();

  private record Changing(CrowdHistory history, String name) {}

  /**
   * One change of one or two names.
   *
   * @param names the first one leads to the answer's node, the other one nowhere
   */
  private record Change(
      String what, List<Changing> names, Supplier<CompletableFuture<Long>> call) {}

  /**
   * Turns of a hand.
   *
   * @param owner the same for the hand that comes after this one
   */
  CrowdTurns(ClientThread hand, String owner) {
    this.hand = hand;
    this.owner = owner;
  }

  private RandomGenerator random() {
    return hand.random();
  }

  private long moment() {
    return hand.histories().moment();
  }

  /** Nothing that is under way will be answered. */
  void died() {
    changing.forEach(each -> each.history().ownerDied(List.of(each.name())));
  }

  void turn() {
    Crowd crowd = hand.workload().crowds().any(random());
    int kind = random().nextInt(100);
    if (!crowd.isMade()) {
      make(crowd);
    } else if (crowd.history().isAbsent(crowd.name(owner, 0))) {
      hand.askTogether(List.of(part(keeper(crowd))), () -> {});
    } else if (kind < 70) {
      burst(crowd);
    } else if (kind < 86) {
      list(crowd);
    } else {
      look(crowd);
    }
  }

  private void make(Crowd crowd) {
    WeftPath path = hand.workload().at(crowd.path());
    if (random().nextBoolean()) {
      hand.names()
          .ask(
              new NameOperation.Mkdir(crowd.path()),
              () -> hand.files().mkdir(path, MODE),
              made -> Seen.object(made.objectId(), Optional.of(NameKind.DIRECTORY)),
              made -> crowd.made());
    } else {
      hand.names()
          .ask(
              new NameOperation.Look(crowd.path(), false),
              () -> hand.files().linkAttributes(path),
              found -> Seen.object(found.objectId(), Optional.of(NameKind.DIRECTORY)),
              found -> crowd.made());
    }
  }

  private WeftPath at(Crowd crowd, String name) {
    return hand.workload().at(crowd.path() + "/" + name);
  }

  /** Many changes at once. */
  private void burst(Crowd crowd) {
    boolean growing = crowd.isGrowing(random());
    List<String> present = new ArrayList<>();
    List<String> absent = new ArrayList<>();
    for (int number = 1; number <= crowd.namesOfOwner(); number++) {
      String name = crowd.name(owner, number);
      if (crowd.history().isPresent(name)) {
        present.add(name);
      } else if (crowd.history().isAbsent(name)) {
        absent.add(name);
      }
    }
    String keeper = crowd.name(owner, 0);
    boolean keeperMayGo = !growing && present.isEmpty() && crowd.history().isPresent(keeper);
    if (keeperMayGo) {
      present.add(keeper);
    }
    List<ClientThread.Part<Long>> parts = new ArrayList<>();
    for (int left = 1 + random().nextInt(crowd.mostBurst()); left > 0; left--) {
      boolean add = random().nextInt(10) == 0 != growing;
      boolean rename = random().nextInt(25) == 0;
      if (rename && present.size() > 1 && !absent.isEmpty()) {
        String from = take(present);
        String to = take(absent);
        parts.add(
            part(
                isDirectory(from) == isDirectory(to)
                    ? renamed(crowd, from, to)
                    : removed(crowd, from)));
      } else if (add && !absent.isEmpty()) {
        parts.add(part(added(crowd, take(absent), keeperMayGo)));
      } else if (!add && !present.isEmpty()) {
        parts.add(part(removed(crowd, take(present))));
      }
    }
    if (parts.isEmpty()) {
      look(crowd);
    } else {
      hand.askTogether(parts, () -> {});
    }
  }

  private String take(List<String> names) {
    int chosen = random().nextInt(names.size());
    String last = names.remove(names.size() - 1);
    return chosen == names.size() ? last : names.set(chosen, last);
  }

  /**
   * @param keeperMayGo its removal may be under way beside this: nothing is linked to it
   */
  private Change added(Crowd crowd, String name, boolean keeperMayGo) {
    WeftPath path = at(crowd, name);
    String keeper = crowd.name(owner, 0);
    int kind = random().nextInt(10);
    List<Changing> names = List.of(new Changing(crowd.history(), name));
    if (isDirectory(name)) {
      return new Change(
          "mkdir " + CrowdHistory.shown(name),
          names,
          () -> hand.files().mkdir(path, MODE).thenApply(FileStatus::objectId));
    }
    if (kind < 7 && !keeperMayGo && crowd.history().isPresent(keeper)) {
      return new Change(
          "link " + CrowdHistory.shown(name),
          names,
          () -> hand.files().link(at(crowd, keeper), path).thenApply(FileStatus::objectId));
    }
    if (kind == 8) {
      return new Change(
          "create " + CrowdHistory.shown(name),
          names,
          () -> hand.files().create(path, CreateOptions.newFile()).thenCompose(CrowdTurns::closed));
    }
    return new Change(
        "symlink " + CrowdHistory.shown(name),
        names,
        () -> hand.files().symlink("nowhere", path).thenApply(FileStatus::objectId));
  }

  /** Some names lead to directories, and to nothing else. */
  private static boolean isDirectory(String name) {
    return name.hashCode() % 16 == 0;
  }

  /** The name is there, whether the file could be closed or not. */
  private static CompletableFuture<Long> closed(WeftOutput output) {
    return output
        .close()
        .handle(
            (status, thrown) -> {
              if (thrown != null) {
                var unused = output.abort();
              }
              return output.objectId();
            });
  }

  /** What others of this owner are links to: the last of its names that is removed. */
  private Change keeper(Crowd crowd) {
    String keeper = crowd.name(owner, 0);
    return new Change(
        "symlink " + CrowdHistory.shown(keeper),
        List.of(new Changing(crowd.history(), keeper)),
        () -> hand.files().symlink("kept", at(crowd, keeper)).thenApply(FileStatus::objectId));
  }

  private Change removed(Crowd crowd, String name) {
    WeftPath path = at(crowd, name);
    return new Change(
        "remove " + CrowdHistory.shown(name),
        List.of(new Changing(crowd.history(), name)),
        () ->
            (isDirectory(name) ? hand.files().rmdir(path) : hand.files().unlink(path))
                .thenApply(nothing -> 0L));
  }

  private Change renamed(Crowd crowd, String from, String to) {
    long objectId = crowd.history().objectOf(from);
    return new Change(
        "rename " + CrowdHistory.shown(from) + " to " + CrowdHistory.shown(to),
        List.of(new Changing(crowd.history(), to), new Changing(crowd.history(), from)),
        () ->
            hand.files()
                .rename(at(crowd, from), at(crowd, to), false)
                .thenApply(nothing -> objectId));
  }

  private ClientThread.Part<Long> part(Change change) {
    for (Changing each : change.names()) {
      each.history().asked(each.name());
      changing.add(each);
    }
    return new ClientThread.Part<>(
        change.what(),
        change.call(),
        new CallAnswer<>() {
          @Override
          public void done(Long objectId) {
            long now = moment();
            for (int index = 0; index < change.names().size(); index++) {
              Changing each = change.names().get(index);
              each.history().done(each.name(), now, index == 0 ? objectId : 0);
            }
            changing.removeAll(change.names());
          }

          @Override
          public void failed(WeftException failure) {
            Changing first = change.names().get(0);
            switch (Errors.of(failure.code())) {
              case REFUSED ->
                  first.history().refused(first.name(), change.what(), failure.code().toString());
              default -> {}
            }
            change.names().forEach(each -> each.history().doubted(each.name()));
            changing.removeAll(change.names());
          }
        });
  }

  private void look(Crowd crowd) {
    List<ClientThread.Part<OptionalLong>> parts = new ArrayList<>();
    for (int left = 1 + random().nextInt(MAX_LOOKS); left > 0; left--) {
      String of = hand.workload().anyOwner(random());
      String name = crowd.name(of, random().nextInt(crowd.namesOfOwner() + 1));
      long start = moment();
      parts.add(
          new ClientThread.Part<>(
              "look at " + CrowdHistory.shown(name),
              () -> found(at(crowd, name)),
              new CallAnswer<>() {
                @Override
                public void done(OptionalLong objectId) {
                  crowd.history().looked(name, start, objectId.orElse(0));
                }

                @Override
                public void failed(WeftException failure) {
                  // The answer told nothing.
                }
              }));
    }
    hand.askTogether(parts, () -> {});
  }

  private CompletableFuture<OptionalLong> found(WeftPath path) {
    return hand.files()
        .linkAttributes(path)
        .thenApply(status -> OptionalLong.of(status.objectId()))
        .exceptionallyCompose(
            thrown ->
                WeftException.of(thrown).code() == ErrorCode.NOT_FOUND
                    ? CompletableFuture.completedFuture(OptionalLong.empty())
                    : CompletableFuture.failedFuture(thrown));
  }

  /** All pages, one after another; others change names in between. */
  private void list(Crowd crowd) {
    int least = Math.max(MIN_PAGE, crowd.history().present() / MAX_PAGES);
    int page = Math.min(MAX_PAGE, least + random().nextInt(2 * least));
    boolean attributes = random().nextInt(4) == 0;
    DirectoryListing pages = hand.files().list(hand.workload().at(crowd.path()), page, attributes);
    nextPage(crowd, pages, crowd.history().listing(moment()));
  }

  private void nextPage(Crowd crowd, DirectoryListing pages, CrowdHistory.Listing listing) {
    hand.ask(
        "the next page of " + crowd.path() + " behind " + listing.size(),
        pages::nextPage,
        new CallAnswer<>() {
          @Override
          public void done(Optional<List<FileStatus>> page) {
            if (page.isEmpty()) {
              listing.ended();
              return;
            }
            page.get().forEach(entry -> listing.saw(entry.path().name(), entry.objectId()));
            hand.hurry();
            hand.afterwards(() -> nextPage(crowd, pages, listing));
          }

          @Override
          public void failed(WeftException failure) {
            // The listing is given up: what it saw so far is not all.
          }
        });
  }
}

package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.DirectoryListing;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;

/** Listings of directories that a manager's cache does not hold (P 6.7). */
class ListingTest {
  private static final int NAMES = 300;
  private static final int NAME_BYTES = 250;
  private static final int LARGE_PAGE = 1_000;

  /** What has been loaded for a page is not kept until the rest of it has come. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void pageLargerThanTheCacheComesInShorterOnes(boolean attributes) throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(1).withForgetful());
    ClientNode client = stage.client();
    WeftPath directory = WeftPath.of("/large");
    var made = stage.call(client.files().mkdir(directory, 0755));
    SortedSet<String> names = new TreeSet<>();
    for (int number = 0; number < NAMES; number++) {
      String name = ("%03d".formatted(number) + "x".repeat(NAME_BYTES)).substring(0, NAME_BYTES);
      var link = stage.call(client.files().symlink("target", directory.child(name)));
      names.add(name);
    }
    // Once all is flushed, nothing of it stays in the cache for that reason.
    stage.heal();
    stage.world().pass(20_000);
    SortedSet<String> listed = new TreeSet<>();
    DirectoryListing listing = client.files().list(directory, LARGE_PAGE, attributes);
    int seen = 0;
    for (Optional<List<FileStatus>> page = stage.call(listing.nextPage());
        page.isPresent();
        page = stage.call(listing.nextPage())) {
      for (FileStatus status : page.get()) {
        listed.add(status.path().name());
        seen++;
      }
    }
    assertEquals(names, listed);
    assertEquals(NAMES, seen, "each name once");
  }
}

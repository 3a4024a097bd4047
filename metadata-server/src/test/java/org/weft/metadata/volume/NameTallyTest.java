package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.cache.NameTally;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.FileKind;

/** Names of a directory are counted exactly while they are made, moved and removed (P 6.8d). */
class NameTallyTest {
  private static final int NAMES = 900;
  private static final int CHANGES_OF_A_PAGE = 12;
  private static final int MAX_OF_A_PAGE = 60;

  private final List<String> names = new ArrayList<>();
  private Random random;
  private TestClient client;
  private MetadataCache cache;
  private ObjectId large;
  private int made;

  @ParameterizedTest
  @ValueSource(longs = {95_710_001, 95_710_002, 95_710_003})
  void theCountIsThatOfTheMomentOfTheLastPage(long seed) throws WeftException {
    random = new Random(seed);
    TestVolume volume = TestVolume.formatted(seed);
    cache = volume.cache();
    client = volume.superuser();
    client.mkdir("/large");
    client.mkdir("/other");
    large = new ObjectId(client.linkAttributes("/large").getObjectId());
    while (names.size() < NAMES) {
      make();
    }
    NameTally tally = new NameTally(large);
    cache.nameWatch().begin(tally);
    int pages = 0;
    while (!passed(tally)) {
      pages++;
      for (int change = 0; change < CHANGES_OF_A_PAGE; change++) {
        change();
      }
    }
    assertTrue(pages > 10, "the directory had time to change: " + pages);
    assertExact(tally);
    long counted = tally.names();
    change();
    make();
    assertEquals(counted, tally.names(), "what comes later does not count");
    cache.nameWatch().end(tally);
  }

  private boolean passed(NameTally tally) {
    int most = 1 + random.nextInt(MAX_OF_A_PAGE);
    DirectoryPage page = cache.readdir(large, tally.passedCookie(), most).value();
    tally.passed(page.entries(), page.end(), cache.entryCount(large).value());
    return page.end();
  }

  private void assertExact(NameTally tally) {
    Attributes now = cache.attributes(large, List.of()).value().orElseThrow();
    assertEquals(names.size(), tally.names());
    assertEquals(now.entries(), tally.names());
    assertEquals(now.entries(), tally.counted());
    assertEquals(now.links(), 2 + tally.directories());
  }

  private void make() throws WeftException {
    String name = "n" + made++;
    if (random.nextInt(3) == 0) {
      client.mkdir("/large/" + name);
    } else {
      client.symlink("target", "/large/" + name);
    }
    names.add(name);
  }

  private void change() throws WeftException {
    String name = names.get(random.nextInt(names.size()));
    String path = "/large/" + name;
    boolean isDirectory = client.linkAttributes(path).getKind() == FileKind.DIRECTORY;
    switch (random.nextInt(5)) {
      case 0 -> make();
      case 1 -> {
        String fresh = "r" + made++;
        client.rename(path, "/large/" + fresh);
        names.remove(name);
        names.add(fresh);
      }
      case 2 -> {
        client.rename(path, "/other/" + name);
        names.remove(name);
      }
      case 3 -> replace(name, isDirectory);
      default -> {
        if (isDirectory) {
          client.rmdir(path);
        } else {
          client.unlink(path);
        }
        names.remove(name);
      }
    }
  }

  /** Another node takes the name. */
  private void replace(String name, boolean isDirectory) throws WeftException {
    String beside = "/other/b" + made++;
    if (isDirectory) {
      client.mkdir(beside);
    } else {
      client.symlink("elsewhere", beside);
    }
    client.rename(beside, "/large/" + name);
  }
}

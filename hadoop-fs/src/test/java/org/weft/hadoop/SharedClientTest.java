package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.client.WeftClient;
import org.weft.hadoop.config.ConnectorKey;
import org.weft.testkit.process.Await;

/** Instances of one process, cluster and user are one client. */
@Timeout(300)
class SharedClientTest {
  private static final Path FILE = new Path("/tmp/shared-client");
  private static final ChildJvm LITTLE = new ChildJvm("-Xmx256m");
  private static final long WAIT_SECONDS = 60;

  private final URI uri = URI.create(SharedCluster.get().uri());
  private final Configuration conf = new Configuration();

  private WeftHadoopFileSystem instance() throws IOException {
    return (WeftHadoopFileSystem) FileSystem.newInstance(uri, conf);
  }

  private WeftHadoopFileSystem instanceOf(String user, String... groups) throws Exception {
    return UserGroupInformation.createUserForTesting(user, groups)
        .doAs((PrivilegedExceptionAction<WeftHadoopFileSystem>) this::instance);
  }

  private FileContext context() throws IOException {
    return FileContext.getFileContext(uri, conf);
  }

  private static FSDataOutputStream create(FileContext context, Path file) throws IOException {
    return context.create(file, EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE));
  }

  private static void awaitTrue(String what, Callable<Boolean> condition) throws Exception {
    Await.until(WAIT_SECONDS, () -> what, condition);
  }

  @Test
  void instancesOfOneUserShareAClient() throws Exception {
    try (WeftHadoopFileSystem one = instance();
        WeftHadoopFileSystem other = instance()) {
      assertSame(one.connection().client(), other.connection().client());
      Configuration own = new Configuration();
      own.set("fs.permissions.umask-mode", "077");
      own.set(ConnectorKey.PAGE_ENTRIES.key(), "7");
      try (WeftHadoopFileSystem ofItsOwn =
          (WeftHadoopFileSystem) FileSystem.newInstance(uri, own)) {
        assertSame(one.connection().client(), ofItsOwn.connection().client());
        ofItsOwn.create(FILE, true).close();
        assertEquals("rw-------", one.getFileStatus(FILE).getPermission().toString());
        one.create(FILE, true).close();
        assertEquals("rw-r--r--", ofItsOwn.getFileStatus(FILE).getPermission().toString());
      }
    }
  }

  @Test
  void usersAndGroupsAndSettingsOfTheClientAreNotShared() throws Exception {
    try (WeftHadoopFileSystem ann = instanceOf("ann", "people");
        WeftHadoopFileSystem annAgain = instanceOf("ann", "people");
        WeftHadoopFileSystem annElsewhere = instanceOf("ann", "people", "others");
        WeftHadoopFileSystem bob = instanceOf("bob", "people")) {
      assertSame(ann.connection().client(), annAgain.connection().client());
      assertNotSame(ann.connection().client(), annElsewhere.connection().client());
      assertNotSame(ann.connection().client(), bob.connection().client());
      conf.set(ConnectorKey.WRITE_WINDOW.key(), "2m");
      try (WeftHadoopFileSystem narrow = instanceOf("ann", "people")) {
        assertNotSame(ann.connection().client(), narrow.connection().client());
      }
      try (FSDataOutputStream out = bob.create(new Path("/tmp/of-bob"))) {
        out.write(1);
      }
      assertEquals("bob", ann.getFileStatus(new Path("/tmp/of-bob")).getOwner());
    }
  }

  @Test
  void closingOneInstanceEndsItsOwnStreamsAndNoOthers() throws Exception {
    byte[] content = new byte[3_000_000];
    Arrays.fill(content, (byte) 5);
    try (WeftHadoopFileSystem going = instance()) {
      WeftHadoopFileSystem leaving = instance();
      FSDataOutputStream left = leaving.create(new Path(FILE + "-left"), true);
      left.write(content, 0, 1_000);
      FSDataOutputStream kept = going.create(FILE, true);
      kept.write(content, 0, 1_000_000);
      FSDataInputStream leftIn;
      try (FSDataOutputStream out = going.create(new Path(FILE + "-read"), true)) {
        out.write(content);
      }
      leftIn = leaving.open(new Path(FILE + "-read"));
      FSDataInputStream keptIn = going.open(new Path(FILE + "-read"));
      assertEquals(5, leftIn.read());
      assertEquals(5, keptIn.read());
      leaving.close();
      assertThrows(IOException.class, leftIn::read);
      assertThrows(IOException.class, () -> leaving.open(FILE));
      assertThrows(IOException.class, () -> leaving.create(FILE, true));
      assertThrows(IOException.class, () -> left.write(1));
      assertEquals(1_000, going.getFileStatus(new Path(FILE + "-left")).getLen());
      kept.write(content, 1_000_000, 2_000_000);
      kept.close();
      assertEquals(content.length - 1, keptIn.readAllBytes().length);
      try (FSDataInputStream in = going.open(FILE)) {
        assertArrayEquals(content, in.readAllBytes());
      }
    }
  }

  @Test
  void aClientEndsSomeTimeAfterItsLastInstanceWasClosed() throws Exception {
    conf.set(ConnectorKey.CLIENT_NAME.key(), "ends-soon");
    conf.set(ConnectorKey.CLIENT_KEEP.key(), "1ms");
    WeftHadoopFileSystem first = instance();
    WeftClient client = first.connection().client();
    first.close();
    awaitTrue("the client does not end", () -> clientOfAnotherInstance() != client);
  }

  @Test
  void collectedFileContextReleasesItsReferenceAndFiles() throws Exception {
    conf.set(ConnectorKey.CLIENT_NAME.key(), "collected");
    conf.set(ConnectorKey.CLIENT_KEEP.key(), "1ms");
    Path file = new Path("/tmp/collected");
    for (int i = 0; i < 20; i++) {
      FSDataOutputStream out = create(context(), new Path(file + "-" + i));
      out.write(1);
      out.hflush();
    }
    WeftClient ofContexts = clientOfAnotherInstance();
    awaitTrue(
        "the files are written for ever",
        () -> {
          System.gc();
          try (WeftHadoopFileSystem other = instanceOf("superuser", "supergroup")) {
            for (int i = 0; i < 20; i++) {
              if (!other.isFileClosed(new Path(file + "-" + i))) {
                return false;
              }
            }
            return true;
          }
        });
    awaitTrue(
        "the client of contexts that are gone does not end",
        () -> {
          System.gc();
          return clientOfAnotherInstance() != ofContexts;
        });
  }

  private WeftClient clientOfAnotherInstance() throws IOException {
    try (WeftHadoopFileSystem another = instance()) {
      return another.connection().client();
    }
  }

  @ParameterizedTest
  @CsvSource({"contexts, 80", "instances, 80"})
  void manyInstancesUseTheThreadsDescriptorsAndMemoryOfFew(String kind, int some) throws Exception {
    int count = some * Integer.getInteger("weft.times", 1);
    List<String> lines =
        LITTLE.run(ManyInstances.class, uri.toString(), kind, String.valueOf(count));
    assertTrue(lines.contains("kept " + count), lines::toString);
    List<long[]> used =
        lines.stream()
            .filter(line -> line.startsWith("used "))
            .map(line -> Arrays.stream(line.split(" ")).skip(1).mapToLong(Long::parseLong))
            .map(numbers -> numbers.toArray())
            .toList();
    long[] few = used.get(0);
    long[] many = used.get(1);
    assertTrue(many[0] <= few[0] + 10, () -> "threads: " + few[0] + ", then " + many[0]);
    assertTrue(many[1] <= few[1] + 10, () -> "descriptors: " + few[1] + ", then " + many[1]);
    assertTrue(many[2] <= few[2] + (16 << 20), () -> "direct: " + few[2] + ", then " + many[2]);
  }

  @Test
  void aProgramThatEndsLeavesNoFileBeingWritten() throws Exception {
    assertTrue(LITTLE.run(UnclosedProgram.class, uri.toString()).contains("written"));
    try (WeftHadoopFileSystem fs = instance()) {
      for (Path file : List.of(UnclosedProgram.OF_FILE_SYSTEM, UnclosedProgram.OF_FILE_CONTEXT)) {
        awaitTrue(file + " is written for ever", () -> fs.isFileClosed(file));
        try (FSDataInputStream in = fs.open(file)) {
          assertEquals(UnclosedProgram.TEXT, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
    }
  }
}

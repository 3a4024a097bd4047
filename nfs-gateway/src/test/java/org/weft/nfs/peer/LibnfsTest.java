package org.weft.nfs.peer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;

/** Programs of libnfs mount, write, list and read: MOUNT and NFS by a client in C. */
class LibnfsTest {
  private static final long DEADLINE_SECONDS = 60;

  private final ModelFileService files = new ModelFileService();
  private final ModelGateway gateway = new ModelGateway(files, files.root());

  @TempDir Path folder;

  @BeforeEach
  void libnfsIsThere() {
    assumeTrue(
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(at -> Files.isExecutable(Path.of(at, "nfs-cp"))),
        "nfs-cp is not there: install libnfs-utils");
  }

  @AfterEach
  void stop() {
    gateway.close();
    assertEquals(0, files.unreleased());
  }

  private String url(String path) {
    int port = gateway.address().getPort();
    return "nfs://127.0.0.1" + path + "?nfsport=" + port + "&mountport=" + port;
  }

  private byte[] run(String... command) throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    Path errors = folder.resolve("errors");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    assertTrue(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS), "it does not end");
    assertEquals(0, process.exitValue(), Files.readString(errors));
    return Files.readAllBytes(output);
  }

  @Test
  void aFileIsCopiedInListedAndReadBack() throws Exception {
    byte[] data = new byte[5_000_003];
    new Random(1).nextBytes(data);
    Path local = Files.write(folder.resolve("local"), data);
    run("nfs-cp", local.toString(), url("/squashed/copy"));
    String listed = new String(run("nfs-ls", url("/squashed/")), StandardCharsets.UTF_8);
    assertTrue(listed.contains("copy") && listed.contains("5000003"), listed);
    assertArrayEquals(data, run("nfs-cat", url("/squashed/copy")));
  }
}

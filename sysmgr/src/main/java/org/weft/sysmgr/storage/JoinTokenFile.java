package org.weft.sysmgr.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.weft.protocol.system.AtomicFile;

/**
 * The file in which an operator finds the join token: one line of text. The token is the ASCII
 * bytes of that text, so it can be carried by hand.
 */
public final class JoinTokenFile {
  /** Its name in a SysMgr member's data directory. */
  public static final String NAME = "join-token";

  private JoinTokenFile() {}

  /**
   * The token in a file; white space around it does not count.
   *
   * @throws NoSuchFileException if there is no such file
   * @throws IOException also if nothing is in it
   */
  public static byte[] read(Path file) throws IOException {
    String token = Files.readString(file, StandardCharsets.US_ASCII).strip();
    if (token.isEmpty()) {
      throw new IOException(
          "the join token file " + file + " is empty; copy it from SysMgr's data directory");
    }
    return token.getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes the token unless the file holds it already. */
  static void provide(Path file, byte[] token) throws IOException {
    byte[] line =
        (new String(token, StandardCharsets.US_ASCII) + "\n").getBytes(StandardCharsets.US_ASCII);
    if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), line)) {
      AtomicFile.write(file, line, "rw-------");
    }
  }
}

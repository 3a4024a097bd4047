package org.weft.cli.quickstart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.weft.cli.output.CommandFailure;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * The secret with which the REST interface of a quickstart is told to stop and start OSDs. Every
 * user of the machine reaches the port; only the user that runs the quickstart can read the file
 * {@code run/rest-token}, which has mode 0600. Each start of a quickstart draws another secret.
 */
record RestToken(String text) {
  private static final int SECRET_BYTES = 16;
  private static final String FILE = "rest-token";

  /** Draws a secret and writes it, in place of an earlier one. */
  static RestToken create(QuickstartPlan plan, RandomGenerator random) throws IOException {
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    RestToken token = new RestToken(HexFormat.of().formatHex(secret));
    Path file = plan.runDirectory().resolve(FILE);
    Files.createDirectories(file.getParent());
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, token.text);
    return token;
  }

  /** The secret of the quickstart that runs there. */
  static RestToken read(QuickstartPlan plan) throws IOException {
    Path file = plan.runDirectory().resolve(FILE);
    try {
      return new RestToken(Files.readString(file).strip());
    } catch (NoSuchFileException e) {
      throw new CommandFailure(
          file + " is missing: it comes with the next start of the quickstart; start it again");
    }
  }

  /**
   * Refuses a request that does not know the secret.
   *
   * @throws WeftException UNAUTHENTICATED
   */
  void require(String given) throws WeftException {
    boolean same =
        MessageDigest.isEqual(
            text.getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.UTF_8));
    if (!same) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED,
          "state the text of run/rest-token, in the quickstart's data directory, as"
              + " 'Authorization: Bearer TEXT'");
    }
  }
}

package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.FileAttributes;

/**
 * The Java API is package {@code org.weft.client} alone. What its public types show is of that
 * package, of the JDK, or a value type of the list below: no generated message, no type of protobuf
 * and none of the packages underneath. What members of the listed types show is not looked at.
 */
class PublicApiTest {
  private static final String API = "org.weft.client";

  private static final Path SOURCES =
      Path.of("..")
          .toAbsolutePath()
          .normalize()
          .resolve("client-core/src/main/java/org/weft/client");

  /** As many as it has, so that a new one is a decision. */
  private static final int TYPES = 36;

  /** Types of other packages that the API shows on purpose, and why. */
  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("org.weft.protocol.error.WeftException", "every failure, with its code"),
          Map.entry("org.weft.protocol.acl.AclChange", "what a change does to access lists"),
          Map.entry("org.weft.protocol.acl.AclEntry", "an entry of an access list"),
          Map.entry("org.weft.protocol.acl.AclScope", "which of the two access lists"),
          Map.entry(
              "org.weft.protocol.capability.FileHandle", "names a file after renames; opaque"),
          Map.entry("org.weft.protocol.id.ClusterId", "the cluster that is expected"),
          Map.entry("org.weft.protocol.layout.ByteRange", "a range of a file"),
          Map.entry("org.weft.protocol.layout.Layout", "how a file is cut into units"),
          Map.entry("org.weft.protocol.layout.StorageMap", "where a file's components lie"),
          Map.entry("org.weft.protocol.rpc.Endpoint", "the address of a member of SysMgr"),
          Map.entry("org.weft.protocol.seam.Environment", "threads, clocks and network to share"),
          Map.entry(
              "org.weft.client.internal.PartsHolder", "a superclass without a visible member"),
          Map.entry("org.weft.client.internal.TunedBuilder", "the same of the options' builder"));

  /** The public types of the package, nested ones too. */
  private static List<Class<?>> types() throws IOException, ReflectiveOperationException {
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.list(SOURCES)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.matches("[A-Z]\\w*\\.java")) {
          addPublic(Class.forName(API + "." + name.replace(".java", "")), types);
        }
      }
    }
    return types;
  }

  private static void addPublic(Class<?> type, List<Class<?>> types) {
    if (ShownTypes.isShown(type)) {
      types.add(type);
      for (Class<?> nested : type.getDeclaredClasses()) {
        addPublic(nested, types);
      }
    }
  }

  private static boolean isOfTheApi(Class<?> type) {
    return type.isPrimitive()
        || type.getName().startsWith("java.")
        || type.getPackageName().equals(API) && ShownTypes.isShown(type);
  }

  /** Members that show a type which is neither the API's nor on the list; what is on it is used. */
  private static Set<String> problems(List<Class<?>> types, Set<String> values) {
    Set<String> problems = new TreeSet<>();
    Set<String> unused = new TreeSet<>(values);
    for (Class<?> type : types) {
      ShownTypes.of(type)
          .forEach(
              (member, shown) -> {
                for (Class<?> each : shown) {
                  unused.remove(each.getName());
                  if (!isOfTheApi(each) && !values.contains(each.getName())) {
                    problems.add(member + " shows " + each.getName());
                  }
                }
              });
    }
    unused.forEach(name -> problems.add(name + " is on the list, and no member shows it"));
    return problems;
  }

  @Test
  void noPublicMemberShowsAGeneratedOrInternalType() throws Exception {
    Set<String> problems = problems(types(), VALUES.keySet());
    assertEquals(0, problems.size(), () -> problems.size() + ":\n" + String.join("\n", problems));
  }

  @Test
  void thePackageHasNoMoreTypesThanItNeeds() throws Exception {
    List<String> all =
        types().stream().filter(type -> !type.isMemberClass()).map(Class::getSimpleName).toList();
    assertEquals(TYPES, all.size(), all::toString);
  }

  /** Shows a message as a part of what it gives. */
  public static final class ShowsMessage {
    public List<? extends FileAttributes[]> all() {
      return List.of();
    }
  }

  /** Shows a type of a library. */
  public static final class ShowsLibrary {
    public org.slf4j.Logger log() {
      return null;
    }
  }

  @Test
  void aTypeOfALibraryIsSeen() {
    assertEquals(
        Set.of("ShowsLibrary.log shows org.slf4j.Logger"),
        problems(List.of(ShowsLibrary.class), Set.of()));
  }

  @Test
  void aMessageInsideAnotherTypeIsSeen() {
    assertEquals(
        Set.of("ShowsMessage.all shows " + FileAttributes.class.getName()),
        problems(List.of(ShowsMessage.class), Set.of()));
  }

  @Test
  void aTypeOfTheListThatNoMemberShowsIsSeen() {
    assertEquals(
        Set.of("p.Value is on the list, and no member shows it"),
        problems(List.of(), Set.of("p.Value")));
  }
}

package org.weft.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Looks up every field and method that the connector's classes name, in the stock clients of the
 * promised releases. A name that is missing would fail only when it is used, in a user's job.
 */
class ClientLinkageIT {
  private static final String CONNECTOR = "org/weft/hadoop/";
  private static final String SHADED = "org/weft/shaded/";

  /** OpenSSL and certificates for tests: Netty finds out by itself that they are not there. */
  private static final Pattern OPTIONAL =
      Pattern.compile("org\\.weft\\.shaded\\.io\\.netty\\.(internal\\.tcnative|pkitesting)\\..*");

  private static final Pattern OWN_CLASS = Pattern.compile("org/weft/(?!shaded/).*\\.class");

  private static final Pattern RECOVERY_CLASS =
      Pattern.compile(
          "org/weft/(recovery/.*|client/(.*/)?(resolve|rebuild)/.*|client/.*Resolver\\.class)");

  @ParameterizedTest
  @ValueSource(strings = {"3.4.0", "3.4.1", "3.4.2", "3.5.0"})
  void everyNameIsFoundInTheStockClient(String release) throws IOException {
    try (URLClassLoader client =
        new URLClassLoader(jars(release), ClassLoader.getPlatformClassLoader())) {
      Map<ClassReferences.Member, String> named = named(CONNECTOR);
      Set<String> missing = new TreeSet<>();
      int ofHadoop = 0;
      for (Map.Entry<ClassReferences.Member, String> each : named.entrySet()) {
        ClassReferences.Member member = each.getKey();
        ofHadoop += member.owner().startsWith("org.apache.hadoop.") ? 1 : 0;
        if (!found(member, client)) {
          missing.add(each.getValue() + " names " + member);
        }
      }
      assertEquals(Set.of(), missing);
      assertTrue(ofHadoop > 100, "only " + ofHadoop + " names of Hadoop were looked up");
    }
  }

  @Test
  void noClassThatWasLeftOutOfTheJarIsNamed() throws IOException {
    Set<String> missing = new TreeSet<>();
    try (ZipFile zip = new ZipFile(StockClient.jar().toFile())) {
      for (Map.Entry<ClassReferences.Member, String> each : named(SHADED).entrySet()) {
        String owner = each.getKey().owner();
        if (owner.startsWith(SHADED.replace('/', '.'))
            && !OPTIONAL.matcher(owner).matches()
            && zip.getEntry(owner.replace('.', '/') + ".class") == null) {
          missing.add(each.getValue() + " names " + owner);
        }
      }
    }
    assertEquals(Set.of(), missing);
  }

  /** Dead writers' files are resolved, and lost components rebuilt, by managers alone. */
  @Test
  void theJarHasNoClassThatRecoversFiles() throws IOException {
    try (ZipFile zip = new ZipFile(StockClient.jar().toFile())) {
      List<String> own =
          zip.stream().map(ZipEntry::getName).filter(OWN_CLASS.asMatchPredicate()).toList();
      assertTrue(own.size() > 500, "only " + own.size() + " classes of Weft were looked at");
      assertEquals(List.of(), own.stream().filter(RECOVERY_CLASS.asMatchPredicate()).toList());
    }
  }

  private static URL[] jars(String release) throws IOException {
    List<URL> urls = new ArrayList<>();
    urls.add(StockClient.jar().toUri().toURL());
    try (Stream<Path> stock = Files.list(Path.of("target", "hadoop-" + release))) {
      for (Path jar : stock.toList()) {
        urls.add(jar.toUri().toURL());
      }
    }
    return urls.toArray(URL[]::new);
  }

  /** Each member, with a class below the prefix that names it. */
  private static Map<ClassReferences.Member, String> named(String prefix) throws IOException {
    Map<ClassReferences.Member, String> named = new LinkedHashMap<>();
    try (ZipFile zip = new ZipFile(StockClient.jar().toFile())) {
      for (ZipEntry entry : zip.stream().toList()) {
        if (entry.getName().startsWith(prefix) && entry.getName().endsWith(".class")) {
          try (InputStream in = zip.getInputStream(entry)) {
            for (ClassReferences.Member member : ClassReferences.of(in)) {
              named.putIfAbsent(member, entry.getName());
            }
          }
        }
      }
    }
    return named;
  }

  private static boolean found(ClassReferences.Member member, ClassLoader client) {
    if (member.owner().startsWith("[")) {
      return true;
    }
    try {
      Class<?> owner = Class.forName(member.owner(), false, client);
      return member.field()
          ? hasField(owner, member)
          : hasMethod(owner, member) || hasMethod(Object.class, member);
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static boolean hasField(Class<?> type, ClassReferences.Member member) {
    for (Field field : type.getDeclaredFields()) {
      if (field.getName().equals(member.name())
          && field.getType().descriptorString().equals(member.descriptor())) {
        return true;
      }
    }
    return supertypes(type).anyMatch(each -> hasField(each, member));
  }

  private static boolean hasMethod(Class<?> type, ClassReferences.Member member) {
    if (isSignaturePolymorphic(type)) {
      return true;
    }
    Stream<MethodType> declared =
        member.name().equals("<init>")
            ? Arrays.stream(type.getDeclaredConstructors())
                .map(each -> MethodType.methodType(void.class, each.getParameterTypes()))
            : Arrays.stream(type.getDeclaredMethods())
                .filter(each -> each.getName().equals(member.name()))
                .map(ClientLinkageIT::typeOf);
    return declared.anyMatch(each -> each.toMethodDescriptorString().equals(member.descriptor()))
        || supertypes(type).anyMatch(each -> hasMethod(each, member));
  }

  /** Method handles take any arguments. */
  private static boolean isSignaturePolymorphic(Class<?> type) {
    return type.getName().startsWith("java.lang.invoke.");
  }

  private static MethodType typeOf(Method method) {
    return MethodType.methodType(method.getReturnType(), method.getParameterTypes());
  }

  private static Stream<Class<?>> supertypes(Class<?> type) {
    return Stream.concat(
        Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()));
  }
}

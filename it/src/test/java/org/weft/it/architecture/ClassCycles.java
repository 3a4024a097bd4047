package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Groups of classes of which each reaches each other one. Nested classes count as the one that they
 * are in.
 */
final class ClassCycles {
  private final SortedMap<String, SortedSet<String>> uses = new TreeMap<>();

  /** None is larger; that there are smaller ones shows that the classes were looked at. */
  static void assertAtMost(int count, JavaClasses classes) {
    ClassCycles cycles = new ClassCycles(classes);
    assertEquals(List.of(), cycles.largerThan(count));
    assertFalse(cycles.largerThan(1).isEmpty());
  }

  /** Looks at what these classes use of each other. */
  ClassCycles(JavaClasses classes) {
    for (JavaClass each : classes) {
      uses.computeIfAbsent(outermost(each), name -> new TreeSet<>());
    }
    for (JavaClass each : classes) {
      SortedSet<String> used = uses.get(outermost(each));
      for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
        String target = outermost(dependency.getTargetClass());
        if (uses.containsKey(target)) {
          used.add(target);
        }
      }
    }
  }

  private static String outermost(JavaClass given) {
    JavaClass found = given.getBaseComponentType();
    Optional<JavaClass> around = found.getEnclosingClass();
    while (around.isPresent()) {
      found = around.get();
      around = found.getEnclosingClass();
    }
    return found.getName();
  }

  /** Groups of more classes than so many, each in the order of names. */
  List<SortedSet<String>> largerThan(int count) {
    SortedMap<String, SortedSet<String>> reached = new TreeMap<>();
    uses.keySet().forEach(name -> reached.put(name, reachedFrom(name)));
    List<SortedSet<String>> found = new ArrayList<>();
    SortedSet<String> seen = new TreeSet<>();
    for (String name : uses.keySet()) {
      if (!seen.contains(name)) {
        SortedSet<String> group = new TreeSet<>(List.of(name));
        for (String other : reached.get(name)) {
          if (reached.get(other).contains(name)) {
            group.add(other);
          }
        }
        seen.addAll(group);
        if (group.size() > count) {
          found.add(group);
        }
      }
    }
    return found;
  }

  private SortedSet<String> reachedFrom(String start) {
    SortedSet<String> reached = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(start));
    while (!open.isEmpty()) {
      for (String next : uses.get(open.remove())) {
        if (reached.add(next)) {
          open.add(next);
        }
      }
    }
    return reached;
  }
}

"""A site without any URL, for pages that must not need one."""

urlpatterns: list[object] = []

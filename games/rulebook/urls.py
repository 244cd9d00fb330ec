"""URLs of the rules: an overview, the map, each edition, each of its options."""

from django.urls import path

from . import views
from .bodies import PAGES

urlpatterns = [path(f"rules/{page.path}", views.page, {"page": page}, name=page.name) for page in PAGES]
